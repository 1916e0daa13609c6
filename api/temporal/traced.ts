import { inTrace, SpanKind } from '#tracing/spans.ts'
import type { createTemporalGateway } from './gateway.ts'

type Gateway = ReturnType<typeof createTemporalGateway>

export function tracedGateway(gateway: Gateway): Gateway {
  const asking = <T>(about: string, what: string, ask: () => Promise<T>): Promise<T> =>
    inTrace(about, { name: `Temporal ${what}`, kind: SpanKind.CLIENT }, ask)
  return {
    ...gateway,
    startAndAwaitEntry: (terms, ...rest) =>
      asking(terms.signalId, 'start and await entry', () => gateway.startAndAwaitEntry(terms, ...rest)),
    start: (terms, ...rest) => asking(terms.signalId, 'start', () => gateway.start(terms, ...rest)),
    approve: (to, ...rest) => asking(to.signalId, 'approve', () => gateway.approve(to, ...rest)),
    decline: (to, ...rest) => asking(to.signalId, 'decline', () => gateway.decline(to, ...rest)),
    withdraw: (to, ...rest) => asking(to.signalId, 'withdraw', () => gateway.withdraw(to, ...rest)),
    cancelExit: (to, ...rest) => asking(to.signalId, 'cancel exit', () => gateway.cancelExit(to, ...rest)),
    changeProtection: (to, ...rest) =>
      asking(to.signalId, 'change protection', () => gateway.changeProtection(to, ...rest)),
    replace: (to, ...rest) => asking(to.signalId, 'replace', () => gateway.replace(to, ...rest)),
    cancelOrder: (to, ...rest) => asking(to.signalId, 'cancel order', () => gateway.cancelOrder(to, ...rest)),
  }
}
