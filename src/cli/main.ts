#!/usr/bin/env node
import './effort.ts'
import { spareParser } from '../fetch/attempt.ts'
import { runCommandLine } from './run-command-line.ts'
import { handleClosedPipes } from './terminal/terminal.ts'

/** A finished command exits after this time even when native threads are still running. */
const lingerMs = 2_000

handleClosedPipes()
spareParser()
process.exitCode = await runCommandLine(process.argv.slice(2))
setTimeout(() => process.exit(), lingerMs).unref()
