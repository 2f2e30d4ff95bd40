#!/usr/bin/env node
import { isatty } from 'node:tty'
import './effort.ts'
import { spareParser } from '../fetch/attempt.ts'
import { runCommandLine } from './run-command-line.ts'
import { exitCodes, handleClosedPipes } from './terminal/terminal.ts'

/** A finished command exits after this time even when native threads are still running. */
const lingerMs = 2_000

const hasTerminal = [0, 1, 2].some((stream) => isatty(stream))
handleClosedPipes()
spareParser()
process.exitCode = await runCommandLine(process.argv.slice(2))
// When its terminal has closed, Node.js aborts at its end (SIGABRT), since it cannot give the terminal its settings back. A process that ends
// itself by SIGHUP does not get that far, and has the same exit code for a shell.
process.on('exit', (code) => {
  if (hasTerminal && code === exitCodes.SIGHUP) process.kill(process.pid, 'SIGHUP')
})
setTimeout(() => process.exit(), lingerMs).unref()
