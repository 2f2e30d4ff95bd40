import { codeBlock, type Document, documentText, paragraph } from '../text/markdown.ts'
import { typeText } from '../text/type-text.ts'
import { jsonShapes, type ShapeType } from './json-shapes.ts'

/** The reference of what programs read: output of `--json`, log lines and events. */
export function jsonPage(): Document {
  const text = documentText('JSON: output, logs and events', [
    paragraph(
      'With `--json` a command prints its result to stdout as one JSON value. Shapes are shown as TypeScript types; times are ISO 8601 texts in UTC, and whole numbers beyond 2^53 are texts. Every DECIMAL in the rows of `chainlake sql --format json` is a text, too.',
    ),
    paragraph(
      'An error is `{ "error": { code, message, details, hint } }`, see [error codes](errors.md). The [exit code](exit-codes.md) says how the command ended. For example, the number of streams of a lake:',
    ),
    codeBlock('sh', 'npx chainlake status --json | node -p "JSON.parse(fs.readFileSync(0)).streams.length"'),
    ...jsonShapes.flatMap(({ command, prints, types }) => [
      `## ${command}`,
      paragraph(prints),
      ...(types.length === 0 ? [] : [typesBlock(types)]),
    ]),
    '## Log lines',
    paragraph(
      'Without a terminal stderr has one JSON object per line: `level`, `time`, `msg` and facts. The message is a sentence, or the kind of an event of the run with its other fields. Without a terminal, `progress` comes every 30 seconds while a job reads, and `following` every minute, or every ten minutes when nothing changed.',
    ),
    '## Events',
    paragraph(
      'A program that calls `runPipelines` of the library gets the events of a run from `emit`. Coordinates of slices and heads are heights of blocks, or indexes of X-Chain transactions and vertices from before Cortina.',
    ),
    typesBlock([
      ['src/run/job/events.ts', 'RunEvent'],
      ['src/run/job/events.ts', 'Message'],
      ['src/run/job/events.ts', 'ItemSpan'],
      ['src/model.ts', 'Slice'],
    ]),
  ])
  return { path: 'docs/reference/json.md', text }
}

function typesBlock(types: readonly ShapeType[]): string {
  const text = types.map(([path, name]) => typeText(path, name)).join('\n\n')
  return `<!-- not run: types, not a program -->\n${codeBlock('ts', text)}`
}
