import { runnable } from '../flags/command.ts'
import { printText } from '../terminal/terminal.ts'
import * as ofJobs from './export.ts'
import * as ofLakes from './lake.ts'

/** Every command with what runs it, in the groups and the order of the help. */
export const commandGroups = [
  {
    title: 'export',
    commands: [
      runnable(ofJobs.runCommand, async ({ flags, positionals, pipelinesOf }) =>
        flags.task === undefined
          ? (await import('./run-jobs.ts')).runJobs(positionals, flags, pipelinesOf)
          : (await import('./run-worker.ts')).runOneTask(flags.task, positionals, flags),
      ),
      runnable(ofJobs.planCommand, async ({ flags, positionals, pipelinesOf }) =>
        flags.tasks === true
          ? (await import('./plan-jobs.ts')).printTasks(positionals, flags, pipelinesOf)
          : (await import('./plan-jobs.ts')).planJobs(positionals, flags),
      ),
      runnable(ofJobs.doctorCommand, async ({ flags, positionals }) =>
        (await import('./doctor-jobs.ts')).examineJobs(positionals, flags),
      ),
      runnable(ofJobs.pipelinesCommand, async ({ flags }) => (await import('./declared.ts')).listPipelines(flags)),
      runnable(ofJobs.initCommand, async ({ flags }) => (await import('./check-config.ts')).initConfig(flags)),
      runnable(ofJobs.validateCommand, async ({ flags }) => (await import('./check-config.ts')).validateConfig(flags)),
      runnable(ofJobs.workerCommand, async ({ flags }) => (await import('./run-worker.ts')).runWorker(flags)),
    ],
  },
  {
    title: 'look',
    commands: [
      runnable(ofLakes.sqlCommand, async ({ flags, positionals }) =>
        (await import('./run-sql.ts')).runSql(positionals[0], flags),
      ),
      runnable(ofLakes.tablesCommand, async ({ flags }) => (await import('./declared.ts')).listTables(flags)),
      runnable(ofLakes.describeCommand, async ({ flags, positionals: [name = ''] }) =>
        (await import('./declared.ts')).describeName(name, flags),
      ),
      runnable(ofLakes.statusCommand, async ({ flags, positionals }) =>
        flags.watch === true
          ? (await import('./watch-status.ts')).watchStatus(positionals, flags)
          : (await import('./show-status.ts')).showStatus(positionals, flags),
      ),
      runnable(ofLakes.gapsCommand, async ({ flags }) => (await import('./show-status.ts')).showGaps(flags)),
    ],
  },
  {
    title: 'keep',
    commands: [
      runnable(ofLakes.verifyCommand, async ({ flags }) => (await import('./run-verify.ts')).runVerify(flags)),
      runnable(ofLakes.repairCommand, async ({ flags }) => (await import('./run-repair.ts')).runRepair(flags)),
      runnable(ofLakes.compactCommand, async ({ flags }) => (await import('./keep-lake.ts')).compactInto(flags)),
      runnable(ofLakes.expireCommand, async ({ flags }) => (await import('./keep-lake.ts')).expireInto(flags)),
      runnable(ofLakes.backupCommand, async ({ flags, positionals: [folder = ''] }) =>
        (await import('./keep-lake.ts')).backUpTo(folder, flags),
      ),
      runnable(ofLakes.restoreCommand, async ({ flags, positionals: [source = ''] }) =>
        (await import('./keep-lake.ts')).restoreFrom(source, flags),
      ),
      runnable(ofLakes.viewsCommand, async ({ flags }) => (await import('./publish-lake.ts')).rewriteViews(flags)),
    ],
  },
  {
    title: 'share',
    commands: [
      runnable(ofLakes.publishCommand, async ({ flags, positionals: [format = ''] }) =>
        (await import('./publish-lake.ts')).publishAs(format, flags),
      ),
      runnable(ofLakes.reportCommand, async ({ flags }) => (await import('./write-report.ts')).runReport(flags)),
    ],
  },
  {
    title: 'try',
    commands: [
      runnable(ofLakes.demoCommand, async ({ flags }) => (await import('./run-demo.ts')).runDemo(flags)),
      runnable(ofLakes.devnetCommand, async ({ flags }) => (await import('./serve-devnet.ts')).serveDevnet(flags)),
      runnable(ofLakes.completionCommand, async () => {
        await printText(ofLakes.completionScript)
        return 0
      }),
    ],
  },
]

export const commands = commandGroups.flatMap((group) => group.commands)
