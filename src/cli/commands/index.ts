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

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  runCommand,
  workerCommand,
  planCommand,
  doctorCommand,
  statusCommand,
  gapsCommand,
  viewsCommand,
  reportCommand,
  publishCommand,
  verifyCommand,
  repairCommand,
  compactCommand,
  expireCommand,
  backupCommand,
  restoreCommand,
  tablesCommand,
  describeCommand,
  sqlCommand,
  initCommand,
  validateCommand,
  devnetCommand,
  demoCommand,
  completionCommand,
]
