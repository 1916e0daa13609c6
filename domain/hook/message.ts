import type { HaltLevel } from '../risk/halt.ts'
import type { Move } from '../signal/move.ts'
import type { SenderHolds } from '../signal/sender-position.ts'

export type Instruction =
  | TradeInstruction
  /** Take back what waits, and cancel entries that work, of this hook; in one symbol or all. Exits stay. */
  | { kind: 'cancel'; symbol: string | null }
  /** An exit plan for shares without an exit: the body of POST /positions/:accountId/:symbol/protection. */
  | { kind: 'protect'; symbol: string; plan: Record<string, unknown> }
  | { kind: 'flatten' }
  /** Stop trading on the hook's accounts; a person lifts it. */
  | { kind: 'halt'; level: HaltLevel }

export interface TradeInstruction {
  kind: 'trade'
  /** Of POST /api/v1/signals. Absent: what the sender has not said; accountId and executeMode but in our JSON. */
  body: Record<string, unknown>
  move: Move | null
  /** The position before this message in the sender's view; a difference is notified. */
  senderHolds: SenderHolds | null
  delaySeconds: number | null
  names: Partial<Record<string, string>>
}

export type AlertIdentity =
  /** The sender's name, or one derived from the content: good for ever. */
  | { text: string; isWindowed: false }
  /** Without any time in the message: the same text within 30 seconds of the first is the same alert. */
  | { text: string; isWindowed: true }

export interface ReadMessage {
  instructions: Instruction[]
  identity: AlertIdentity
  meantAt: string | null
  isTest: boolean
  /** What was repaired, assumed or left out, for the sender and the inbox. */
  advisories: { code: string; message: string }[]
}

export interface UnreadMessage {
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
}
