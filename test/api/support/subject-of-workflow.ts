import type { WorkflowToRun } from '#api/temporal/watch-gateway.ts'

/** The id of the signal or flattening that it is to carry out. */
export const subjectOf = (workflow: WorkflowToRun): string =>
  'terms' in workflow ? workflow.terms.signalId : workflow.flattenId
