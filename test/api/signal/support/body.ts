import assert from 'node:assert/strict'
import { ApiError, type Fault } from '#contract/errors.ts'
import { readSignalRequest } from '#contract/signal/request.ts'

export const ACCOUNT = '0b6f8f5c-2f5e-4f43-8f0e-6f1f2f3f4f5f'
/** Noon in New York, in winter. */
export const NOW = Date.parse('2026-03-02T17:00:00Z')
const VALID = {
  symbol: 'AAPL',
  action: 'openLong',
  accountId: ACCOUNT,
  quantity: 10,
  executeMode: 'immediate',
}
export type Body = Record<string, unknown>

/** A valid body with changes; those with value undefined leave their field out. */
export function read(changes: Body) {
  const body = Object.entries({ ...VALID, ...changes }).filter(([, value]) => value !== undefined)
  return readSignalRequest(Object.fromEntries(body), NOW)
}

export function faultsWithWords(changes: Body): Fault[] {
  try {
    read(changes)
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'VALIDATION_ERROR')
    for (const { path, field, message } of error.details) {
      assert.equal(field, path.join('.'))
      assert.ok(message.length > 0)
    }
    return error.details
  }
}

/** The faults of a body as "field: code". */
export const faultsOf = (changes: Body): string[] =>
  faultsWithWords(changes).map(({ field, code }) => `${field}: ${code}`)

/** What a body has, its changes, and the faults that they are; a body without a fault is taken. */
export type Case = readonly [what: string, changes: Body, ...faults: string[]]

export function judged(subject: string, cases: readonly Case[]): void {
  for (const [what, changes, ...faults] of cases)
    it(`${subject} ${faults.length > 0 ? 'refuses' : 'takes'} ${what}`, () =>
      assert.deepEqual(faultsOf(changes), faults))
}
