import { exitCodes } from '../../../src/cli/help/exit-codes.ts'
import { type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'

/** The reference of all exit codes. */
export function exitCodesPage(): Document {
  const text = documentText('Exit codes', [
    paragraph(
      'Every command ends with one of these codes. An error also has a [code of its own](errors.md), which says more.',
    ),
    markdownTable(
      ['exit code', 'means'],
      exitCodes.map(({ code, means }) => [code, means]),
    ),
    paragraph(
      'With `--all` a run continues with the other jobs when one fails. It ends with the exit code of the first failure; without a failure with 8 when a job was busy, and with 7 when work is left.',
    ),
    paragraph(
      'A scheduler should run again after 7, at the time that `resumeAt` names, and after 8. Codes from 1 to 6 are failures that someone should see. `chainlake doctor` ends with the code that `run` would end with.',
    ),
  ])
  return { path: 'docs/reference/exit-codes.md', text }
}
