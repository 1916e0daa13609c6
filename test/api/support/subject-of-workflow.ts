import type { WorkflowToRun } from '#api/temporal/watch-gateway.ts'

/** The id of the signal, manual order or flattening that it is to carry out. */
export const subjectOf = (workflow: WorkflowToRun): string =>
  'terms' in workflow
    ? workflow.terms.signalId
    : 'orderTerms' in workflow
      ? workflow.orderTerms.orderId
      : workflow.flattenId
