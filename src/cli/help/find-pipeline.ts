import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { knownPipelines, loadPipelines } from '../jobs/known-pipelines.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import type { SettingFlags } from '../settings/typed-value.ts'
import { suggestion } from '../terminal/suggest.ts'

/**
 * The first pipeline, or job of chainlake.yaml, among the words of a command line; null if none of them is one. Throws `ConfigError` if the
 * first word is no flag and no known name.
 */
export async function findPipeline(
  words: readonly string[],
  flags: SettingFlags,
): Promise<{ readonly name: string; readonly pipeline: Pipeline } | null> {
  const pipelines = await loadPipelines(flags)
  const jobs = await jobsOf(flags)
  const named = (name: string) => pipelines.find((pipeline) => pipeline.name === name)
  for (const word of words) {
    const pipeline = named(Object.hasOwn(jobs, word) ? String(jobs[word]?.pipeline) : word)
    if (pipeline !== undefined) return { name: word, pipeline }
  }
  const [first = ''] = words
  if (first.startsWith('-')) return null
  throw new ConfigError(`There is no pipeline or job ${JSON.stringify(first)}.`, {
    code: 'config.unknown-pipeline',
    hint: suggestion(first, [...Object.keys(jobs), ...pipelines.map(({ name }) => name)]),
  })
}

/** The jobs of chainlake.yaml; none if it has mistakes, which must not hide the help. */
async function jobsOf(flags: SettingFlags): Promise<Settings['jobs']> {
  try {
    return (await readSettings(flags, knownPipelines)).jobs
  } catch (error) {
    if (error instanceof ConfigError) return {}
    throw error
  }
}
