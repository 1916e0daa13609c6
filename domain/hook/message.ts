import type { HaltLevel } from '../risk/halt.ts'
import type { Move } from '../signal/move.ts'
import type { SenderHolds } from '../signal/sender-position.ts'

export type Instruction =
  | TradeInstruction
  /** Withdraws the hook's waiting signals and cancels its working entries, in one symbol or all. Exits stay. */
  | { kind: 'cancel'; symbol: string | null }
  /** An exit for shares without one: the body of POST /positions/:accountId/:symbol/protection. */
  | { kind: 'protect'; symbol: string; plan: Record<string, unknown> }
  | { kind: 'flatten' }
  /** Stops trading on the hook's accounts until a person lifts the halt. */
  | { kind: 'halt'; level: HaltLevel }

export interface TradeInstruction {
  kind: 'trade'
  /**
   * Body of POST /api/v1/signals, without the fields that the sender omitted; accountId and executeMode only in our
   * JSON.
   */
  body: Record<string, unknown>
  move: Move | null
  /** The sender's position before this message; a difference is notified. */
  senderHolds: SenderHolds | null
  delaySeconds: number | null
  names: Partial<Record<string, string>>
}

export type AlertIdentity =
  /** The sender's name, or one derived from the content: permanent. */
  | { text: string; isWindowed: false }
  /** A message without a time: the same text within 30 seconds of the first is the same alert. */
  | { text: string; isWindowed: true }

export interface ReadMessage {
  instructions: Instruction[]
  identity: AlertIdentity
  meantAt: string | null
  isTest: boolean
  /** Repairs, assumptions and omissions, for the sender and the inbox. */
  advisories: { code: string; message: string }[]
}

export interface UnreadMessage {
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
}
