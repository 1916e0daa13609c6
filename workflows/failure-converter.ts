import { DefaultFailureConverter } from '@temporalio/common'

/**
 * Encrypts message and stack of a failure with the payloads; by default they are readable in the history. Loaded
 * by the SDK.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
