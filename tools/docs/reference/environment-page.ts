import { environment } from '../../../src/cli/settings/environment.ts'
import { codeBlock, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'

/** The reference of all environment variables. */
export function environmentPage(): Document {
  const text = documentText('Environment variables', [
    paragraph(
      'A variable sets the same as its [flag](cli.md). A flag overrides it, and it overrides [`chainlake.yaml`](configuration.md). An empty variable counts as not set.',
    ),
    markdownTable(
      ['variable', 'flag', 'meaning'],
      environment.map(({ name, flag, comment }) => [`\`${name}\``, flag === null ? '' : `\`--${flag}\``, comment]),
    ),
    '## Credentials',
    paragraph(
      'The API key of the REST service is never a flag and never in a configuration file. Where another variable holds it, `key-env` in `chainlake.yaml` names that variable.',
    ),
    paragraph(
      'Credentials for S3 are those of other AWS tools: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `AWS_PROFILE`, or a role of the machine. PostgreSQL takes user and password from the URL, from `PGUSER` and `PGPASSWORD`, or from `~/.pgpass`.',
    ),
    '## Colours',
    paragraph(
      'A terminal shows colours unless `NO_COLOR` is set, `CLICOLOR` or `FORCE_COLOR` is 0, or `TERM` is dumb. `CLICOLOR_FORCE=1` or `FORCE_COLOR=1` also shows them in files and pipes.',
    ),
    '## Variables in chainlake.yaml',
    paragraph(
      `URLs and headers in \`chainlake.yaml\` and in profiles may contain \`\${NAME}\`, and \`\${NAME:-default}\` for a variable that may be missing:`,
    ),
    codeBlock('yaml', `node-url: \${NODE_URL:-http://127.0.0.1:9650}`),
  ])
  return { path: 'docs/reference/environment.md', text }
}
