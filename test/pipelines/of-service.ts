import type { Question, ServiceRequest } from '../../src/define/index.ts'

/** Narrows a question to a request of the service. */
export function ofService(question: Question): ServiceRequest {
  if (question.host === 'node')
    throw new Error(`${'method' in question ? question.method : question.subject.name} is asked of a node.`)
  return question
}
