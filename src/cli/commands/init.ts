import { command } from '../flags/command.ts'
import { commonFlags } from '../flags/options.ts'
import { printLine } from '../terminal/output.ts'

export const initCommand = command({
  name: 'init',
  usage: 'init',
  comment: 'Write a commented chainlake.yaml',
  examples: [{ line: 'chainlake init', says: 'chainlake.yaml in this folder' }],
  options: commonFlags,
  run: async ({ flags }) => {
    const { writeTemplate } = await import('../../config/write-template.ts')
    const path = flags.config ?? 'chainlake.yaml'
    await writeTemplate(path)
    await printLine(`Wrote ${path}. Set node-url in it, then run: chainlake run --all`)
    return 0
  },
})
