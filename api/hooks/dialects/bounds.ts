import { fault, type Fault } from '../../http/errors.ts'
import { boundsFault } from '../../http/validation/json-bounds.ts'

/** What a message may be at most; the longest that a sender is known to send has 4 kB. */
export const MAX_HOOK_MESSAGE_BYTES = 16 * 1024
export const MESSAGE_TOO_LONG = `must be at most ${MAX_HOOK_MESSAGE_BYTES / 1024} KiB`

/** Why a message is not read at all: it is longer, or has more fields, than any sender has a use for. Null where it is read. */
export const messageBoundsFault = (text: string): Fault | null =>
  Buffer.byteLength(text) > MAX_HOOK_MESSAGE_BYTES
    ? fault([], 'too_long', `The message ${MESSAGE_TOO_LONG}`)
    : boundsFault(text)
