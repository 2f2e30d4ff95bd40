import type { Command } from '../command.ts'
import { backupCommand } from './backup.ts'
import { compactCommand } from './compact.ts'
import { completionCommand } from './completion.ts'
import { demoCommand } from './demo.ts'
import { describeCommand } from './describe.ts'
import { devnetCommand } from './devnet.ts'
import { doctorCommand } from './doctor.ts'
import { expireCommand } from './expire.ts'
import { gapsCommand } from './gaps.ts'
import { initCommand } from './init.ts'
import { planCommand } from './plan.ts'
import { publishCommand } from './publish.ts'
import { repairCommand } from './repair.ts'
import { reportCommand } from './report.ts'
import { restoreCommand } from './restore.ts'
import { runCommand } from './run.ts'
import { sqlCommand } from './sql.ts'
import { statusCommand } from './status.ts'
import { tablesCommand } from './tables.ts'
import { validateCommand } from './validate.ts'
import { verifyCommand } from './verify.ts'
import { viewsCommand } from './views.ts'
import { workerCommand } from './worker.ts'

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
