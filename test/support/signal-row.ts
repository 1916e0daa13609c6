import type { Signal } from '#db/entities/index.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'

/** The row of a signal with these terms, as far as its terms are read from it. */
export function signalRow({ signalId, exit, dueAt, ...terms }: SignalTerms, fields: Partial<Signal>): Signal {
  const dateOf = (instant: string | null) => instant && new Date(instant)
  return {
    ...terms,
    id: signalId,
    exitRule: exit,
    acceptedAt: new Date(terms.acceptedAt),
    expiresAt: dateOf(terms.expiresAt),
    scheduledAt: dateOf(terms.scheduledAt),
    validUntil: dateOf(terms.validUntil),
    sendBefore: dateOf(terms.sendBefore),
    decidedAt: dueAt === undefined ? null : new Date(dueAt),
    ...fields,
  } as unknown as Signal
}
