import { DefaultFailureConverter } from '@temporalio/common'

/**
 * Puts the message and stack of a failure where payloads are, so that they are encrypted with them; by default
 * they lie open in the history. Loaded by the SDK, in workflows and beside them.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
