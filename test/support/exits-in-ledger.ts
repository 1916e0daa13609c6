import assert from 'node:assert/strict'
import { loadSignal } from '#activities/load.ts'
import type { LoadedSignal } from '#activities/contract.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { readCancelMarks, recordCancelledFor } from '#db/exit/exits.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted, recordClosed } from '#db/signal/ledger.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import {
  afterExitOrder,
  describeExitEnd,
  endCause,
  exitAtEnd,
  type ExitProgress,
} from '#domain/exit/progress.ts'
import { clientOrderIdFor, isTerminal, type OrderReport } from '#domain/order/order.ts'
import { createSignal, orderReport, withFill } from './factories.ts'
import { exitAtOnce } from './sample-signal.ts'

export const takeProfit: ExitRule = { ...exitAtOnce, orderType: 'limit', limitPrice: '110' }

const at = (): string => new Date().toISOString()

/** The same order with that much of it filled in this moment. */
export const filledNow = (report: OrderReport, quantity = report.quantity): OrderReport => ({
  ...withFill(report, quantity),
  filledAt: at(),
})

/** The exit as far as it decides what is sent next. */
export interface NotifiedExit {
  generation: number
  coveredQuantity: Decimal
  /** Client order id of the exit order that works; null when none does. */
  working: string | null
  ended: string[]
  /** Shares for which no further exit follows. */
  uncovered: Decimal | null
  exitCancelledBy: string | null
  /** Who wants a working order cancelled. */
  asked: string | null
}

export const untouched = { uncovered: null, exitCancelledBy: null, asked: null }

/** Signals and their exits, written to the ledger as their workflows would, and told from it again. */
export class ExitsInLedger {
  readonly #em: EntityManager
  readonly #accountId: string

  constructor(em: EntityManager, accountId: string) {
    this.#em = em
    this.#accountId = accountId
  }

  exitOrder(signal: Signal, generation: number, changes: Partial<OrderReport> = {}): OrderReport {
    return orderReport(signal, {
      role: 'exit',
      generation,
      side: signal.action === 'openLong' ? 'SELL' : 'BUY_TO_COVER',
      orderType: 'limit',
      limitPrice: '110',
      ...changes,
    })
  }

  idOf(signal: Signal, generation: number): string {
    return clientOrderIdFor(signal.id, 'timed', generation)
  }

  /** A signal of ten shares, unless its entry is told otherwise, and without an exit order yet. */
  async opened(fields: Partial<Signal> = {}, entry: Partial<OrderReport> = {}): Promise<Signal> {
    const accountId = this.#accountId
    const signal = await createSignal(this.#em, {
      accountId,
      exitRule: takeProfit,
      exitStatus: 'waiting',
      ...fields,
    })
    const report = orderReport(signal, { side: signal.action === 'openLong' ? 'BUY' : 'SELL_SHORT' })
    await recordAccepted(this.#em, { ...filledNow(report), ...entry })
    return signal
  }

  async sized(
    signal: Signal,
    generation: number,
    quantity: Decimal,
    coversQuantity = quantity,
  ): Promise<void> {
    const size = { quantity, coversQuantity, notBefore: null }
    await decideOnce(this.#em, signal.id, `exit-${generation}`, size)
  }

  /** Sizes an exit, and has it accepted by the broker. */
  async sent(signal: Signal, generation: number, quantity: Decimal = '10'): Promise<OrderReport> {
    await this.sized(signal, generation, quantity)
    const order = this.exitOrder(signal, generation, { quantity })
    await recordAccepted(this.#em, order)
    return order
  }

  async reported(order: OrderReport): Promise<void> {
    await applyOrderReport(this.#em, this.#accountId, order)
  }

  async ended(
    order: OrderReport,
    status: 'CANCELLED' | 'EXPIRED' | 'REJECTED',
    filledQuantity: Decimal = '0',
  ): Promise<void> {
    const heard = filledQuantity === '0' ? order : filledNow(order, filledQuantity)
    await this.reported({ ...heard, status, endedAt: at() })
  }

  async isToGiveWay({ clientOrderId }: OrderReport, closer = 'closer-e1'): Promise<void> {
    await recordCancelledFor(this.#em, { clientOrderId }, closer, at())
  }

  /** An exit was sent, and cancelled for an order of its own. */
  async wasCancelledFor(
    signal: Signal,
    generation: number,
    quantity: Decimal,
    filledQuantity: Decimal = '0',
  ): Promise<void> {
    const order = await this.sent(signal, generation, quantity)
    await this.isToGiveWay(order, `closer-of-${generation}`)
    await this.ended(order, 'CANCELLED', filledQuantity)
  }

  async voided(signal: Signal, generation: number): Promise<void> {
    await this.#em.execute(
      `update signals set decisions = jsonb_set(decisions, array[?, 'stopped'], 'true') where id = ?`,
      [`exit-${generation}`, signal.id],
      'run',
    )
  }

  /** The last exit is filled and the signal ends, which uses up the number of the next exit. */
  async closes(signal: Signal, closing: number, nextExit: number, last: OrderReport): Promise<void> {
    const filled = filledNow(last)
    await this.reported(filled)
    const exit = await this.#counted((await this.resumed(signal)).exit, filled)
    await recordClosed(this.#em, signal.id, at(), {
      message: 'filled',
      acknowledges: [filled],
      exit: { generation: nextExit, status: 'filled', reason: null },
      rejected: false,
      unprotected: null,
      closing,
      entryFilled: '10',
      progress: exitAtEnd(exit),
    })
  }

  /** The entry of an ended signal has filled further, for which a run opened the signal again that was lost then. */
  async reopens(signal: Signal, filledQuantity: Decimal): Promise<void> {
    const entryId = clientOrderIdFor(signal.id, 'entry', 1)
    for (const sql of [
      'update orders set filled_quantity = ?, end_acknowledged_at = null where client_order_id = ?',
      `update signals set filled_quantity = ? where id || '-e1' = ?`,
    ])
      await this.#em.execute(sql, [filledQuantity, entryId], 'run')
  }

  async resumed(signal: Signal): Promise<LoadedSignal> {
    const state = await loadSignal(this.#em, signal.id, at())
    assert.notEqual(state.phase, 'ended', 'its workflow is to run')
    return state
  }

  async exitOf(signal: Signal): Promise<NotifiedExit> {
    const { exit, orderCancel, reports } = await this.resumed(signal)
    const last = reports.find(
      ({ report }) => report.clientOrderId === exit.workingOrder?.clientOrderId,
    )?.report
    const counted = last && isTerminal(last.status) ? await this.#counted(exit, last) : exit
    const { generation, coveredQuantity, workingOrder, ended, cancelledBy } = counted
    return {
      generation,
      coveredQuantity,
      working: workingOrder?.clientOrderId ?? null,
      ended,
      uncovered: describeExitEnd(
        counted,
        (id) => reports.find(({ report }) => report.clientOrderId === id)!.report,
      ).unprotected,
      exitCancelledBy: cancelledBy,
      asked: orderCancel?.by ?? null,
    }
  }

  /** As the workflow takes account of an exit order that has ended. */
  async #counted(exit: ExitProgress, order: OrderReport): Promise<ExitProgress> {
    const marks = await readCancelMarks(this.#em, order.clientOrderId)
    const cause = endCause(order.status, marks)
    const after = afterExitOrder(exit, order, cause, { exit: takeProfit })
    return cause.by === 'person' ? { ...after, cancelledBy: cause.who } : after
  }
}
