import type { Signal } from '#db/entities/index.ts'
import { findSignals } from '#db/signals/signals.ts'
import type { ApiContext } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { readBody, readOptionalBody } from '../http/validation/request-body.ts'
import type { DecidedLineAnswer } from './answers.ts'
import {
  approvalFields,
  bulkApprovalFields,
  bulkDeclineFields,
  declineFields,
  editsOf,
} from './decision-schema.ts'
import { approveSignal, cancelExit, declineSignal, withdrawSignal } from './decision-commands.ts'
import { ownSignal } from './own-signal.ts'
import {
  presentApproved,
  presentApprovedLine,
  presentDecidedLine,
  presentFailedLine,
} from './decision-record.ts'
import { presentSignal } from './record.ts'
import { deciderOf, type Decider, type SignalDeps } from '../access/sender.ts'
import type { RouteList } from '../http/route-list.ts'

/** Adds the routes by which a stored signal is decided on. */
export function addDecisionRoutes(routes: RouteList, deps: SignalDeps): void {
  routes.post('/process', async (ctx) => {
    const { ids } = await readBody(ctx, bulkApprovalFields)
    const edits = { quantity: null, limitPrice: null }
    await decideOnAll(ctx, ids, presentApprovedLine, (signal, decider) =>
      approveSignal(deps, decider, signal, edits),
    )
  })

  routes.post('/reject', async (ctx) => {
    const { ids, reason } = await readBody(ctx, bulkDeclineFields)
    await decideOnAll(ctx, ids, presentDecidedLine, (signal, decider) =>
      declineSignal(deps, decider, signal, reason ?? null),
    )
  })

  routes.post('/:id/process', async (ctx) => {
    const asked = await readOptionalBody(ctx, approvalFields)
    const signal = await ownSignal(ctx)
    const approved = await approveSignal(deps, await deciderOf(ctx), signal, editsOf(signal, asked))
    Object.assign(ctx, presentApproved(approved, ctx.state.requestId))
  })

  routes.post('/:id/reject', async (ctx) => {
    const { reason } = await readOptionalBody(ctx, declineFields)
    const signal = await ownSignal(ctx)
    answer(ctx, await declineSignal(deps, await deciderOf(ctx), signal, reason ?? null))
  })

  routes.delete('/:id', async (ctx) => {
    answer(ctx, await withdrawSignal(deps, await deciderOf(ctx), await ownSignal(ctx)))
  })

  routes.delete('/:id/exit', async (ctx) => {
    answer(ctx, await cancelExit(deps, await deciderOf(ctx), await ownSignal(ctx)))
  })
}

function answer(ctx: ApiContext, signal: Signal): void {
  ctx.body = standardSuccess({ signal: presentSignal(signal) }, ctx.state.requestId)
}

/** Takes one decision on each of the caller's signals, all at once; each has its own outcome. */
async function decideOnAll(
  ctx: ApiContext,
  ids: readonly string[],
  presentLine: (signal: Signal) => DecidedLineAnswer,
  decide: (signal: Signal, decider: Decider) => Promise<Signal>,
): Promise<void> {
  const decider = await deciderOf(ctx)
  const { em, principal, beforeDatabaseDeadline } = decider
  const found = await beforeDatabaseDeadline(findSignals(em, principal.userId, ids))
  const signals = new Map(found.map((signal) => [signal.id, signal]))
  const results = await Promise.all(
    ids.map(async (id) => {
      try {
        const signal = signals.get(id)
        if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
        return presentLine(await decide(signal, decider))
      } catch (error) {
        if (error instanceof ApiError) return presentFailedLine(id, error)
        throw error
      }
    }),
  )
  ctx.body = standardSuccess({ results }, ctx.state.requestId)
}
