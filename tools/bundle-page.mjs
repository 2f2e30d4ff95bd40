/**
 * Bundles the script of a report's page, with the library that draws its pictures, into one file. Next to it go the style and the licences
 * of the bundled packages. Plain JavaScript, because the build runs it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = join(root, 'src/report/page')
const folder = join(root, 'dist/report')

// Importing the library's index has no side effects, so the bundle keeps only the marks that pictures use.
const made = await rolldown({
  input: join(page, 'main.ts'),
  platform: 'browser',
  logLevel: 'warn',
  treeshake: { moduleSideEffects: false },
})
const { output } = await made.generate({ format: 'esm', minify: true, comments: false })
await made.close()
const [script, ...others] = output
if (others.length > 0)
  throw new Error(
    `The page must be one script, but the bundler also wrote ${others.map(({ fileName }) => fileName).join(', ')}.`,
  )
if (/<\/script|<!--/i.test(script.code)) throw new Error('The script of the page holds what would end its element.')

/** The folder of the package that a file belongs to, such as `node_modules/d3-array`; null for other files. */
function packageFolder(path) {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return name === undefined
    ? null
    : path.slice(0, path.lastIndexOf(`/node_modules/${name}/`) + `/node_modules/${name}`.length)
}

function licenceOf(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const file = readdirSync(path).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each))
  if (file === undefined) throw new Error(`${name} has no licence file to ship with it.`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(path, file), 'utf8').trim()}\n`
}

const folders = [...new Set(script.moduleIds.map(packageFolder).filter((each) => each !== null))].sort()
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'page.js'), script.code.trim())
writeFileSync(
  join(folder, 'page.css'),
  readFileSync(join(page, 'page.css'), 'utf8')
    .replace(/\s*\n\s*/g, '\n')
    .trim(),
)
writeFileSync(join(folder, 'licences.txt'), folders.map(licenceOf).join(`\n${'-'.repeat(60)}\n\n`))
