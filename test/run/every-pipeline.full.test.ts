import { describeEveryPipeline } from './every-pipeline.ts'

describeEveryPipeline({ to: Number.MAX_SAFE_INTEGER, unit: 2_000 })
