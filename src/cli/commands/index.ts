import type { Command } from '../flags/command.ts'
import { backupCommand } from './backup/backup.ts'
import { restoreCommand } from './backup/restore.ts'
import { compactCommand } from './compact/compact.ts'
import { completionCommand } from './completion.ts'
import { demoCommand } from './demo/demo.ts'
import { describeCommand } from './describe/describe.ts'
import { tablesCommand } from './describe/tables.ts'
import { devnetCommand } from './devnet/devnet.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { expireCommand } from './expire/expire.ts'
import { initCommand } from './init.ts'
import { pipelinesCommand } from './pipelines/pipelines.ts'
import { planCommand } from './plan/plan.ts'
import { publishCommand } from './publish/publish.ts'
import { repairCommand } from './repair/repair.ts'
import { reportCommand } from './report/report.ts'
import { runCommand } from './run/run.ts'
import { sqlCommand } from './sql/sql.ts'
import { gapsCommand } from './status/gaps.ts'
import { statusCommand } from './status/status.ts'
import { validateCommand } from './validate/validate.ts'
import { verifyCommand } from './verify/verify.ts'
import { viewsCommand } from './views/views.ts'
import { workerCommand } from './worker/worker.ts'

export type CommandGroup = { readonly title: string; readonly commands: readonly Command[] }

/** Every command, in the groups and the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'export',
    commands: [runCommand, planCommand, doctorCommand, pipelinesCommand, initCommand, validateCommand, workerCommand],
  },
  { title: 'look', commands: [sqlCommand, tablesCommand, describeCommand, statusCommand, gapsCommand] },
  {
    title: 'keep',
    commands: [
      verifyCommand,
      repairCommand,
      compactCommand,
      expireCommand,
      backupCommand,
      restoreCommand,
      viewsCommand,
    ],
  },
  { title: 'share', commands: [publishCommand, reportCommand] },
  { title: 'try', commands: [demoCommand, devnetCommand, completionCommand] },
]

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands)
