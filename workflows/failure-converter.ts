import { DefaultFailureConverter } from '@temporalio/common'

/** Encrypts message and stack, which are readable by default. Loaded by the SDK. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
