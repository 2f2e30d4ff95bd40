import { configJsonSchema } from '../../../config/schema.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { loadPipelines } from '../../jobs/known-pipelines.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { writableFile } from '../../terminal/writable-file.ts'

/** Writes the JSON Schema of chainlake.yaml with the lists that it declares. Lists with a mistake are left out. */
export async function writeSchema(file: string, flags: SettingFlags): Promise<void> {
  const path = await writableFile('--schema', file)
  const schema = configJsonSchema(await loadPipelines(flags))
  await replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
}
