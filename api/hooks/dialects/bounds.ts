import { fault, type Fault } from '../../http/errors.ts'
import { boundsFault } from '../../http/validation/json-bounds.ts'

export const MAX_HOOK_MESSAGE_BYTES = 16 * 1024
export const MESSAGE_TOO_LONG = `must be at most ${MAX_HOOK_MESSAGE_BYTES / 1024} KiB`

/** Null where the message is read. */
export const messageBoundsFault = (text: string): Fault | null =>
  Buffer.byteLength(text) > MAX_HOOK_MESSAGE_BYTES
    ? fault([], 'too_long', `The message ${MESSAGE_TOO_LONG}`)
    : boundsFault(text)
