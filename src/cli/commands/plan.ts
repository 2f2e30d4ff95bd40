import { command } from '../command.ts'
import { formatBytes, formatCount, formatSeconds, textTable } from '../format.ts'
import { commonFlags, jobFlags, jsonFlag, lakeFlag, nodeFlags } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const planCommand = command({
  name: 'plan',
  usage: 'plan [job..]',
  comment: 'Say what run would fetch; asks the node for its head only',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  options: { ...nodeFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...commonFlags },
  run: async ({ flags, positionals }) => {
    const [{ readSettings }, { jobsOf }, { pipelines }, { planPipelines }] = await Promise.all([
      import('../settings.ts'),
      import('../jobs.ts'),
      import('../../../pipelines/index.ts'),
      import('../../run/plan-pipelines.ts'),
    ])
    const { nodeOptions } = await import('../node-options.ts')
    const settings = await readSettings(flags)
    const jobs = jobsOf(positionals, flags, settings, pipelines)
    const plans = await planPipelines({ ...nodeOptions(settings), lakeDir: settings.lake, jobs })
    if (flags.json) {
      await printJson(plans)
      return 0
    }
    const rows = plans.map((plan) => [
      plan.pipeline,
      plan.head === null ? 'empty' : formatCount(plan.head),
      formatCount(plan.units),
      formatCount(plan.requests),
      formatCount(plan.containers),
      `~${formatBytes(plan.estimatedBytes)}`,
      `~${formatSeconds(plan.estimatedSeconds)}`,
    ])
    await printLine(textTable(['pipeline', '>head', '>units', '>requests', '>containers', '>bytes', '>time'], rows))
    const lacking = plans.flatMap((plan) => plan.lacking.map((one) => [one.table, formatCount(one.containers)]))
    await printLine(`\n${textTable(['table', '>containers that it lacks'], lacking)}`)
    return 0
  },
})
