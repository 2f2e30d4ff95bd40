import { runnable } from '../flags/command.ts'
import { printText } from '../terminal/terminal.ts'
import * as ofJobs from './export.ts'
import * as ofLakes from './lake.ts'

/** Every command with what runs it, in the groups and the order of the help. */
export const commandGroups = [
  {
    title: 'export',
    commands: [
      runnable(ofJobs.runCommand, async ({ task }) =>
        task === undefined ? (await import('./run-jobs.ts')).runJobs : (await import('./run-worker.ts')).runOneTask,
      ),
      runnable(ofJobs.planCommand, async ({ tasks }) => {
        const { planJobs, printTasks } = await import('./plan-jobs.ts')
        return tasks === true ? printTasks : planJobs
      }),
      runnable(ofJobs.doctorCommand, async () => (await import('./doctor-jobs.ts')).examineJobs),
      runnable(ofJobs.pipelinesCommand, async () => (await import('./declared.ts')).listPipelines),
      runnable(ofJobs.initCommand, async () => (await import('./check-config.ts')).initConfig),
      runnable(ofJobs.validateCommand, async () => (await import('./check-config.ts')).validateConfig),
      runnable(ofJobs.workerCommand, async () => (await import('./run-worker.ts')).runWorker),
    ],
  },
  {
    title: 'look',
    commands: [
      runnable(ofLakes.sqlCommand, async () => (await import('./run-sql.ts')).runSql),
      runnable(ofLakes.tablesCommand, async () => (await import('./declared.ts')).listTables),
      runnable(ofLakes.describeCommand, async () => (await import('./declared.ts')).describeName),
      runnable(ofLakes.statusCommand, async ({ watch }) =>
        watch === true
          ? (await import('./watch-status.ts')).watchStatus
          : (await import('./show-status.ts')).showStatus,
      ),
      runnable(ofLakes.gapsCommand, async () => (await import('./show-status.ts')).showGaps),
    ],
  },
  {
    title: 'keep',
    commands: [
      runnable(ofLakes.verifyCommand, async () => (await import('./run-verify.ts')).runVerify),
      runnable(ofLakes.repairCommand, async () => (await import('./run-repair.ts')).runRepair),
      runnable(ofLakes.compactCommand, async () => (await import('./keep-lake.ts')).compactInto),
      runnable(ofLakes.expireCommand, async () => (await import('./keep-lake.ts')).expireInto),
      runnable(ofLakes.backupCommand, async () => (await import('./keep-lake.ts')).backUpTo),
      runnable(ofLakes.restoreCommand, async () => (await import('./keep-lake.ts')).restoreFrom),
      runnable(ofLakes.viewsCommand, async () => (await import('./publish-lake.ts')).rewriteViews),
    ],
  },
  {
    title: 'share',
    commands: [
      runnable(ofLakes.publishCommand, async () => (await import('./publish-lake.ts')).publishAs),
      runnable(ofLakes.reportCommand, async () => (await import('./write-report.ts')).runReport),
    ],
  },
  {
    title: 'try',
    commands: [
      runnable(ofLakes.demoCommand, async () => (await import('./run-demo.ts')).runDemo),
      runnable(ofLakes.devnetCommand, async () => (await import('./serve-devnet.ts')).serveDevnet),
      runnable(ofLakes.completionCommand, async () => async () => {
        await printText(ofLakes.completionScript)
        return 0
      }),
    ],
  },
]

export const commands = commandGroups.flatMap((group) => group.commands)
