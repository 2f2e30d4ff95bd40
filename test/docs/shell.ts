import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Typed = {
  /** Line of the first command that failed, from 1 in the text, and the command; undefined when all succeeded. */
  readonly failed?: { readonly line: number; readonly command: string }
  readonly stderr: string
}

/** A terminal in a folder: each text is typed after the one before, with the folder and the exports that it left. */
export type Shell = {
  readonly type: (text: string) => Promise<Typed>
  /** Ends what the commands left running. */
  readonly close: () => void
}

/** After this long a text is ended: no command of a document takes longer than a minute on a quiet machine. */
const longestMs = 300_000

export function openShell(cwd: string, env: Readonly<Record<string, string>>): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-shell-'))
  const file = (name: string) => join(folder, name)
  writeFileSync(file('state'), '')
  const groups: number[] = []
  return {
    type: async (text) => {
      writeFileSync(file('text'), text)
      writeFileSync(file('failed'), '')
      writeFileSync(file('script'), script(folder))
      const code = await runScript(file('script'), { cwd, env, groups, stderr: file('stderr') })
      const stderr = readFileSync(file('stderr'), 'utf8')
      if (code === 0) return { stderr }
      const [, line = '1', command = `ended with ${code}`] =
        /^(\d+) ([\s\S]*)/.exec(readFileSync(file('failed'), 'utf8').trim()) ?? []
      return { failed: { line: Number(line), command }, stderr }
    },
    close: () => {
      for (const group of groups) endGroup(group)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `source` keeps line numbers of the text. The first failure is written down, and what a next text finds. */
const script = (folder: string) => `
. '${folder}/state'
trap '[ -s "${folder}/failed" ] || printf "%s %s" "$LINENO" "$BASH_COMMAND" > "${folder}/failed"' ERR
trap '{ export -p; printf "cd %q\\n" "$PWD"; } > "${folder}/state"' EXIT
. '${folder}/text'
`

type ScriptOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly groups: number[]
  readonly stderr: string
}

/** Runs a script until it ends. Output goes to a file, because a process that it leaves may hold a pipe for longer. */
async function runScript(path: string, { cwd, env, groups, stderr }: ScriptOptions): Promise<number | string> {
  const output = openSync(stderr, 'w')
  const child = spawn('bash', ['-e', path], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', output],
  })
  closeSync(output)
  if (child.pid !== undefined) groups.push(child.pid)
  const timer = setTimeout(() => child.pid !== undefined && endGroup(child.pid), longestMs)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => resolve(code ?? signal ?? 'no code'))
    })
  } finally {
    clearTimeout(timer)
  }
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
