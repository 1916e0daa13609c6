import assert from 'node:assert/strict'
import { readMessage } from '#api/hook/dialects/read.ts'
import { signalsOf } from '#api/hook/intake/preview.ts'
import type { Instruction, ReadMessage } from '#domain/hook/message.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { pluck } from '#test/support/pluck.ts'

/** A minute after the bars of the messages. */
export const NOW = Date.parse('2026-03-02T14:32:00Z')

export const ACCOUNTS = [
  '0b6f8f5c-2f5e-4f43-8f0e-6f1f2f3f4f5f',
  '5d1c1f0e-7b7a-4c55-9a52-0c7a8f4b6e21',
] as const

const account = (accountId: string) => ({ accountId, multiplier: null, quantity: null })
export const TWO_ACCOUNTS = { accounts: ACCOUNTS.map(account) }

const PLAIN: HookSettings = {
  accounts: [account(ACCOUNTS[0])],
  executeMode: 'immediate',
  approvalMinutes: null,
  strategyId: null,
  quantity: null,
  quantityType: 'fixed',
  exit: null,
  protection: 'refuse',
  symbols: {},
  manages: 'own',
  mayShort: false,
  whenSame: 'nothing',
  whenOpposite: 'reverse',
  template: null,
  flatByClose: null,
}

export const settingsWith = (changes: Partial<HookSettings> = {}): HookSettings => ({ ...PLAIN, ...changes })

const textOf = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message))

/** A message and what the hook chooses otherwise, for a title. */
export const inWords = (message: unknown, choices?: Partial<HookSettings>): string =>
  textOf(message) + (choices ? ` for a hook of ${JSON.stringify(choices)}` : '')

/** Reads a message for a hook that goes long, says no quantity and turns positions, or one with other choices. */
export const readFor = (kind: HookKind, message: unknown, changes: Partial<HookSettings> = {}) =>
  readMessage(textOf(message), { kind, settings: settingsWith(changes) })

/** A message that has to be understood, and to make signals that POST /signals would take. */
export function understood(
  kind: HookKind,
  message: unknown,
  changes: Partial<HookSettings> = {},
): ReadMessage {
  const read = readFor(kind, message, changes)
  assert.ok('instructions' in read, `${textOf(message)}: ${JSON.stringify(read)}`)
  for (const instruction of read.instructions)
    if (instruction.kind === 'trade') signalsOf(instruction, settingsWith(changes), NOW)
  return read
}

/** The codes of its faults with their fields: "required ticker". */
export function faultsOf(kind: HookKind, message: unknown, changes: Partial<HookSettings> = {}): string[] {
  const read = readFor(kind, message, changes)
  return 'faults' in read ? read.faults.map(({ code, field }) => `${code} ${field}`.trim()) : []
}

/** The codes of what is told about a message that is understood. */
export const notifiedOf = (kind: HookKind, message: unknown, changes: Partial<HookSettings> = {}): string[] =>
  pluck(understood(kind, message, changes).advisories, 'code')

/** Instructions in short, for tables: "buy 10 AAPL: open, reverse, nothing", where flat, held the other way and the same way. */
export const inShort = (kind: HookKind, message: unknown, changes: Partial<HookSettings> = {}): string[] =>
  understood(kind, message, changes).instructions.map(shortOf)

const UNITS: Record<string, string> = { fixed: '', dollarAmount: '$', percentEquity: '%' }

function shortOf(instruction: Instruction): string {
  if (instruction.kind === 'halt') return `halt ${instruction.level}`
  if (instruction.kind === 'flatten') return 'flatten'
  if (instruction.kind === 'protect')
    return `protect ${instruction.symbol} ${JSON.stringify(instruction.plan)}`
  if (instruction.kind === 'cancel') return `cancel ${instruction.symbol ?? 'all'}`
  const { move, delaySeconds } = instruction
  const { quantity, quantityType, symbol, action, targetPosition } = instruction.body as Record<
    string,
    string
  >
  const delay = delaySeconds === null ? '' : `, in ${delaySeconds} s`
  const size = `${UNITS[quantityType ?? 'fixed']}${quantity ?? 'default'} ${symbol}`
  if (targetPosition !== undefined) return `target ${targetPosition} ${symbol}${delay}`
  if (move === null) return `${action} ${size}${delay}`
  if (move.kind === 'trade') {
    const { direction, whenFlat, whenOpposite, whenSame } = move
    return `${direction} ${size}: ${whenFlat}, ${whenOpposite}, ${whenSame}${delay}`
  }
  const part = move.part === null ? 'all' : 'shares' in move.part ? move.part.shares : `${move.part.percent}%`
  return `close ${part} ${symbol}${move.side === null ? '' : ` ${move.side}`}${delay}`
}

/** The body of the one trade that a message asks for. */
export function bodyOf(
  kind: HookKind,
  message: unknown,
  changes: Partial<HookSettings> = {},
): Record<string, unknown> {
  const [instruction] = understood(kind, message, changes).instructions
  assert.ok(instruction?.kind === 'trade')
  return instruction.body
}
