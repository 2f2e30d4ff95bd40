import { countText } from '../lib/text/count-text.ts'
import { shellText } from '../lib/text/visible-text.ts'
import { ageText } from './age-text.ts'
import type { PageAnswer, PageProblem } from './data/page-data.ts'
import type { Glance } from './glance.ts'

const dayMs = 86_400_000

/** What is wrong with a lake, the most serious first, each with the command to run next. */
export function problemsOf(glance: Glance, answers: readonly PageAnswer[], lakeDir: string): PageProblem[] {
  const lake = `--lake ${shellText(lakeDir)}`
  return [...unreadable(answers, lake), ...unsound(glance, lake), ...incomplete(glance, lake), ...stale(glance, lake)]
}

function unreadable(answers: readonly PageAnswer[], lake: string): PageProblem[] {
  const failed = answers.filter(({ failure }) => failure !== null)
  const [first] = failed
  if (first === undefined) return []
  return [
    {
      title: `${countText(failed.length)} ${failed.length === 1 ? 'query' : 'queries'} failed`,
      says: `A data file may be missing or damaged: verify names it. The first failure: ${first.failure}`,
      command: `chainlake verify ${lake}`,
    },
  ]
}

function unsound({ verify, nowMs }: Glance, lake: string): PageProblem[] {
  if (verify === null || verify.findings === 0) return []
  const age = ageText(Math.max(0, nowMs - Date.parse(verify.endedAt)))
  return [
    {
      title: `verify found ${countText(verify.findings)} ${verify.findings === 1 ? 'problem' : 'problems'}`,
      says: `That was ${age} ago. Run it again to see each finding and how to repair it.`,
      command: `chainlake verify ${lake}`,
    },
  ]
}

function incomplete({ coverage }: Glance, lake: string): PageProblem[] {
  const gaps = coverage.gaps.length + coverage.moreGaps
  const open = coverage.count - coverage.complete
  if (open === 0) return []
  return [
    {
      title: `${countText(open)} ${open === 1 ? 'stream is' : 'streams are'} incomplete`,
      says:
        gaps === 0
          ? 'The next run of their jobs continues them. Coverage lists them first.'
          : `${countText(gaps)} ${gaps === 1 ? 'gap is' : 'gaps are'} known. Each row of the table under Coverage has the command that fills it.`,
      command: gaps === 0 ? `chainlake status ${lake}` : `chainlake gaps ${lake}`,
    },
  ]
}

function stale({ coverage: { oldestReachedMs }, nowMs }: Glance, lake: string): PageProblem[] {
  const ageMs = oldestReachedMs === null ? 0 : nowMs - oldestReachedMs
  if (ageMs <= dayMs) return []
  return [
    {
      title: `The lake is ${ageText(ageMs)} behind`,
      says: 'At least one stream was last read to its head that long ago. Run the jobs of your configuration again.',
      command: `chainlake run --all ${lake}`,
    },
  ]
}
