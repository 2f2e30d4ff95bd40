import { describeEveryPipeline } from './every-pipeline.ts'

describeEveryPipeline({ to: 400, unit: 150 })
