import type { HaltLevel } from '../halt.ts'
import type { Move } from '../move.ts'
import type { SenderHolds } from '../sender-holds.ts'

/** What a message of a sender asks for, in no dialect any more. */
export type Instruction =
  | TradeInstruction
  /** Take back what waits, and cancel entries that work, of this hook; in one symbol or all. Exits stay. */
  | { kind: 'cancel'; symbol: string | null }
  /** Stop the entries of this hook, and close every position of its accounts. */
  | { kind: 'flatten' }
  /** Stop trading on the hook's accounts; a person lifts it. */
  | { kind: 'halt'; level: HaltLevel }

/** A signal for each account of the hook. */
export interface TradeInstruction {
  kind: 'trade'
  /**
   * A body of POST /api/v1/signals, to be read by its schema, without accountId and executeMode. Fields that the sender has not said
   * are absent; `quantity` too, where the hook's default is to be taken. Our own JSON may have accountId, accountIds and executeMode.
   */
  body: Record<string, unknown>
  /** Null where the body itself says the step or the target. */
  move: Move | null
  /** What the sender takes for held before this message, signed; null where it says nothing. A difference is told to the owner. */
  senderHolds: SenderHolds | null
  /** Seconds to wait before it is sent; null for none. */
  delaySeconds: number | null
  /** Our fields by the sender's names of them, for the words of faults. */
  names: Partial<Record<string, string>>
}

/** What tells an alert from every other one of its hook. */
export type AlertIdentity =
  /** The sender's name of it, or what was derived of its content: good for ever. */
  | { text: string; isWindowed: false }
  /** Of a message without any time in it: the same text within 30 seconds of the first is the same alert. */
  | { text: string; isWindowed: true }

/** A message that was understood. */
export interface ReadMessage {
  /** Carried out one after the other; at least one. */
  instructions: Instruction[]
  identity: AlertIdentity
  /** UTC instant at which its sender says that it was made, the latest of those in it; null where it says none. */
  meantAt: string | null
  /** Nothing is to be sent: a dry run. */
  isTest: boolean
  /** What was repaired, assumed or left out, for the sender and the inbox. */
  advisories: { code: string; message: string }[]
}

/** A message that was not: each fault names the mend. */
export interface UnreadMessage {
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
}
