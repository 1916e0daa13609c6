import type { Signal } from '#db/entities/index.ts'
import { GROUP_ORDER, listGroups } from '#db/signals/groups.ts'
import { z } from 'zod'
import { inPerson, scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import { examplePaging } from '../http/examples.ts'
import type { OrderDeps } from '../orders/commands.ts'
import { idOf, listRoute, route } from '../route/route.ts'
import { decidedLinesAnswer } from '../signals/answers.ts'
import { requireExitWithinBounds } from '../signals/bounds.ts'
import { approveSignal, cancelExit, declineSignal, hasOpenExit } from '../signals/decision-commands.ts'
import { decideOnEach } from '../signals/decision-lines.ts'
import { presentApprovedLine, presentDecidedLine } from '../signals/decision-record.ts'
import { declineFields } from '../signals/decision-schema.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { groupDetailAnswer, groupListAnswer, stoppedGroupAnswer } from './answers.ts'
import { EXAMPLE_DECIDED_ONE, EXAMPLE_GROUP, EXAMPLE_GROUP_DETAIL, EXAMPLE_STOPPED } from './examples.ts'
import { groupListQuery } from './list-schema.ts'
import { ownGroup } from './own-group.ts'
import { presentGroup, presentGroupDetail, presentStopped } from './record.ts'
import { stopEntries } from './stop-commands.ts'

const groupPath = { groupId: idOf('SIGNAL_GROUP_NOT_FOUND') }

const EACH =
  'Each signal has an outcome of its own, as if it were decided on alone; the answer is always 200. Repeating it is harmless.'

const lines = (words: string) => ({
  200: {
    description: 'What came of each; none where there is no line',
    schema: decidedLinesAnswer,
    examples: { [words]: EXAMPLE_DECIDED_ONE },
  },
})

const OF_A_TOKEN = { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' } as const

export const groupRoutes = [
  listRoute({
    name: 'GET /api/v1/signal-groups',
    access: scoped('trading:read'),
    tag: 'Signals',
    summary: 'List groups of signals, the newest first',
    description:
      'A group is what one request with `accountIds`, or one message of a hook, asked for: a signal for each account. Its signals are in `GET /signals` too, with its `groupId`.',
    query: groupListQuery,
    answers: {
      200: {
        description: 'Groups of the caller that fit the filter',
        schema: groupListAnswer,
        examples: { 'one group': { groups: [EXAMPLE_GROUP], ...examplePaging(1) } },
      },
    },
    errors: [],
    list: { order: GROUP_ORDER, rows: 'groups', present: presentGroup },
    run: ({ em, me, filter, page }) => listGroups(em, me.userId, filter, page),
  }),
  route({
    name: 'GET /api/v1/signal-groups/:groupId',
    access: scoped('trading:read'),
    tag: 'Signals',
    summary: 'Show a group with its signals, and the accounts that have none',
    path: groupPath,
    answers: {
      200: {
        description: 'The group',
        schema: groupDetailAnswer,
        examples: { 'one executed, one pending, one refused': EXAMPLE_GROUP_DETAIL },
      },
    },
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
    run: async ({ caller, path }) => presentGroupDetail(await ownGroup(caller, path.groupId)),
  }),
  route({
    name: 'POST /api/v1/signal-groups/:groupId/process',
    // The command asks for a fresh proof for live accounts.
    access: inPerson({ work: 'trading' }),
    tag: 'Signals',
    summary: 'Approve all signals of a group that wait for a person',
    description: `${EACH} One on a live account is approved with a proof of the last five minutes of who you are alone.`,
    path: groupPath,
    answers: lines('one approved'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
    run: async ({ caller, path }, deps: SignalDeps) => {
      const edits = { quantity: null, limitPrice: null }
      return decideOnEach(await pendingOf(caller, path.groupId), presentApprovedLine, (signal) =>
        approveSignal(deps, caller, signal, edits),
      )
    },
  }),
  route({
    name: 'POST /api/v1/signal-groups/:groupId/reject',
    access: inPerson({ work: 'stopping' }),
    tag: 'Signals',
    summary: 'Decline all signals of a group that wait for a person',
    description: EACH,
    path: groupPath,
    body: {
      schema: z.strictObject(declineFields),
      optional: true,
      examples: { 'with a reason': { reason: 'not before the figures' }, 'without one': {} },
    },
    answers: lines('one declined'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
    run: async ({ caller, path, body: { reason = null } }, deps: SignalDeps) =>
      decideOnEach(await pendingOf(caller, path.groupId), presentDecidedLine, (signal) =>
        declineSignal(deps, caller, signal, reason),
      ),
  }),
  route({
    name: 'DELETE /api/v1/signal-groups/:groupId',
    access: scoped('signals:write', { work: 'stopping', bounds: OF_A_TOKEN }),
    tag: 'Signals',
    summary: 'Withdraw the signals of a group that wait, and cancel its entries that work',
    description: `What has filled stays, and so do exits. To cancel an entry that works a token needs \`orders:write\` too. ${EACH}`,
    path: groupPath,
    answers: {
      200: {
        description: 'What came of each signal',
        schema: stoppedGroupAnswer,
        examples: { 'one withdrawn': EXAMPLE_STOPPED },
      },
    },
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
    run: async ({ caller, path }, deps: SignalDeps & OrderDeps) => {
      const { signals } = await ownGroup(caller, path.groupId)
      return presentStopped(await stopEntries(deps, caller, signals))
    },
  }),
  route({
    name: 'DELETE /api/v1/signal-groups/:groupId/exit',
    access: scoped('signals:write', { work: 'trading', bounds: OF_A_TOKEN }),
    tag: 'Signals',
    summary: 'Cancel the exits of a group that wait',
    description: `The positions stay, and nobody closes them any more. ${EACH}`,
    path: groupPath,
    answers: lines('one cancelled'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
    run: async ({ caller, path }, deps: SignalDeps) => {
      const { signals } = await ownGroup(caller, path.groupId)
      return decideOnEach(signals.filter(hasOpenExit), presentDecidedLine, async (signal) => {
        requireExitWithinBounds(caller.principal, signal)
        return cancelExit(deps, caller, signal)
      })
    },
  }),
]

async function pendingOf(...asked: Parameters<typeof ownGroup>): Promise<Signal[]> {
  const { signals } = await ownGroup(...asked)
  return signals.filter(({ status }) => status === 'pending')
}
