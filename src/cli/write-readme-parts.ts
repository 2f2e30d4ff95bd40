import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipelines } from '../../pipelines/index.ts'
import { packageRoot } from '../lib/package-root.ts'
import { environmentPart, pipelinesPart, withPart } from './readme-parts.ts'

const path = join(packageRoot(), 'README.md')
const readme = withPart(readFileSync(path, 'utf8'), 'pipelines', pipelinesPart(pipelines))
writeFileSync(path, withPart(readme, 'environment', environmentPart()))
