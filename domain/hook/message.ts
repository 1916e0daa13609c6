import type { HaltLevel } from '../risk/halt.ts'
import type { Move } from '../signal/move.ts'
import type { SenderHolds } from '../signal/sender-position.ts'

export type Instruction =
  | TradeInstruction
  /** Withdraws waiting signals and cancels working entries; null for all symbols. Exits stay. */
  | { kind: 'cancel'; symbol: string | null }
  /** Body of POST /positions/:accountId/:symbol/protection, for shares without an exit. */
  | { kind: 'protect'; symbol: string; plan: Record<string, unknown> }
  | { kind: 'flatten' }
  /** A halt of the hook's accounts; a person lifts it. */
  | { kind: 'halt'; level: HaltLevel }

export interface TradeInstruction {
  kind: 'trade'
  /** Body of POST /api/v1/signals; accountId and executeMode only in our JSON. */
  body: Record<string, unknown>
  move: Move | null
  /** The sender's position before this message; a difference is notified. */
  senderHolds: SenderHolds | null
  delaySeconds: number | null
  names: Partial<Record<string, string>>
}

export type AlertIdentity =
  /** The sender's name, or one from the content: permanent. */
  | { text: string; isWindowed: false }
  /** Without a time: the same text within 30 seconds is the same alert. */
  | { text: string; isWindowed: true }

export interface ReadMessage {
  instructions: Instruction[]
  identity: AlertIdentity
  meantAt: string | null
  isTest: boolean
  advisories: { code: string; message: string }[]
}

export interface UnreadMessage {
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
}
