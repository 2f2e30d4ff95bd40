import { runnable } from '../flags/command.ts'
import { printText } from '../terminal/terminal.ts'
import {
  doctorCommand,
  initCommand,
  pipelinesCommand,
  planCommand,
  runCommand,
  validateCommand,
  workerCommand,
} from './export.ts'
import {
  backupCommand,
  compactCommand,
  completionCommand,
  completionScript,
  demoCommand,
  describeCommand,
  devnetCommand,
  expireCommand,
  gapsCommand,
  publishCommand,
  repairCommand,
  reportCommand,
  restoreCommand,
  sqlCommand,
  statusCommand,
  tablesCommand,
  verifyCommand,
  viewsCommand,
} from './lake.ts'

/** Every command with what runs it, in the groups and the order of the help. */
export const commandGroups = [
  {
    title: 'export',
    commands: [
      runnable(runCommand, async ({ flags, positionals, pipelinesOf }) =>
        flags.task === undefined
          ? (await import('./run-jobs.ts')).runJobs(positionals, flags, pipelinesOf)
          : (await import('./run-worker.ts')).runOneTask(flags.task, positionals, flags),
      ),
      runnable(planCommand, async ({ flags, positionals, pipelinesOf }) =>
        flags.tasks === true
          ? (await import('./plan-jobs.ts')).printTasks(positionals, flags, pipelinesOf)
          : (await import('./plan-jobs.ts')).planJobs(positionals, flags),
      ),
      runnable(doctorCommand, async ({ flags, positionals }) =>
        (await import('./doctor-jobs.ts')).examineJobs(positionals, flags),
      ),
      runnable(pipelinesCommand, async ({ flags }) => (await import('./declared.ts')).listPipelines(flags)),
      runnable(initCommand, async ({ flags }) => (await import('./check-config.ts')).initConfig(flags)),
      runnable(validateCommand, async ({ flags }) => (await import('./check-config.ts')).validateConfig(flags)),
      runnable(workerCommand, async ({ flags }) => (await import('./run-worker.ts')).runWorker(flags)),
    ],
  },
  {
    title: 'look',
    commands: [
      runnable(sqlCommand, async ({ flags, positionals }) =>
        (await import('./run-sql.ts')).runSql(positionals[0], flags),
      ),
      runnable(tablesCommand, async ({ flags }) => (await import('./declared.ts')).listTables(flags)),
      runnable(describeCommand, async ({ flags, positionals: [name = ''] }) =>
        (await import('./declared.ts')).describeName(name, flags),
      ),
      runnable(statusCommand, async ({ flags, positionals }) =>
        flags.watch === true
          ? (await import('./watch-status.ts')).watchStatus(positionals, flags)
          : (await import('./show-status.ts')).showStatus(positionals, flags),
      ),
      runnable(gapsCommand, async ({ flags }) => (await import('./show-status.ts')).showGaps(flags)),
    ],
  },
  {
    title: 'keep',
    commands: [
      runnable(verifyCommand, async ({ flags }) => (await import('./run-verify.ts')).runVerify(flags)),
      runnable(repairCommand, async ({ flags }) => (await import('./run-repair.ts')).runRepair(flags)),
      runnable(compactCommand, async ({ flags }) => (await import('./keep-lake.ts')).compactInto(flags)),
      runnable(expireCommand, async ({ flags }) => (await import('./keep-lake.ts')).expireInto(flags)),
      runnable(backupCommand, async ({ flags, positionals: [folder = ''] }) =>
        (await import('./keep-lake.ts')).backUpTo(folder, flags),
      ),
      runnable(restoreCommand, async ({ flags, positionals: [source = ''] }) =>
        (await import('./keep-lake.ts')).restoreFrom(source, flags),
      ),
      runnable(viewsCommand, async ({ flags }) => (await import('./publish-lake.ts')).rewriteViews(flags)),
    ],
  },
  {
    title: 'share',
    commands: [
      runnable(publishCommand, async ({ flags, positionals: [format = ''] }) =>
        (await import('./publish-lake.ts')).publishAs(format, flags),
      ),
      runnable(reportCommand, async ({ flags }) => (await import('./write-report.ts')).runReport(flags)),
    ],
  },
  {
    title: 'try',
    commands: [
      runnable(demoCommand, async ({ flags }) => (await import('./run-demo.ts')).runDemo(flags)),
      runnable(devnetCommand, async ({ flags }) => (await import('./serve-devnet.ts')).serveDevnet(flags)),
      runnable(completionCommand, async () => {
        await printText(completionScript)
        return 0
      }),
    ],
  },
]

export const commands = commandGroups.flatMap((group) => group.commands)
