import { DefaultFailureConverter } from '@temporalio/common'

/** Encrypts message and stack with the payloads; by default they are readable. Loaded by the SDK. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
