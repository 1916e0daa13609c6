import type { HaltLevel } from '../halt.ts'
import type { Move } from '../move.ts'
import type { SenderHolds } from '../sender-holds.ts'

/** In no dialect any more. */
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
   * A body of POST /api/v1/signals without accountId and executeMode (our own JSON may have them). Fields that
   * the sender has not said are absent; `quantity` too, where the hook's default counts.
   */
  body: Record<string, unknown>
  /** Null where the body has the step or the target. */
  move: Move | null
  /** The position before this message in the sender's view; a difference is notified. */
  senderHolds: SenderHolds | null
  delaySeconds: number | null
  /** Our fields by the sender's names, for the words of faults. */
  names: Partial<Record<string, string>>
}

export type AlertIdentity =
  /** The sender's name, or one derived from the content: good for ever. */
  | { text: string; isWindowed: false }
  /** Without any time in the message: the same text within 30 seconds of the first is the same alert. */
  | { text: string; isWindowed: true }

export interface ReadMessage {
  /** At least one, in order. */
  instructions: Instruction[]
  identity: AlertIdentity
  /** UTC instant of the sender, the latest in the message. */
  meantAt: string | null
  /** A dry run. */
  isTest: boolean
  /** What was repaired, assumed or left out, for the sender and the inbox. */
  advisories: { code: string; message: string }[]
}

/** Each fault names the correction. */
export interface UnreadMessage {
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
}
