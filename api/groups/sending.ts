import { forEachAtMost } from '#domain/for-each-at-most.ts'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { requireSignalWithinBounds } from '../signals/bounds.ts'
import { create, type CreationDeps } from '../intake/create.ts'
import { messageName } from '../intake/names.ts'
import type { Outcome } from '../intake/wish.ts'
import type { DryRunDeps } from '../signals/dry-run-commands.ts'
import { dryRunSignal } from '../signals/dry-run-signal.ts'
import { presentDryRun } from '../signals/dry-run-record.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'
import type { GroupDryRunAnswer } from '#contract/groups/answers.ts'
import { summaryOf } from './summary.ts'

const ASKED_AT_ONCE = 2

/** Its sourceId names the signals together, for ever; each account holds it besides. Throws as {@link create}. */
export async function sendToSeveral(
  deps: CreationDeps,
  caller: Caller,
  requests: SignalRequest[],
  source: string,
): Promise<Outcome> {
  const [{ sourceId }] = requests as [SignalRequest, ...SignalRequest[]]
  const sent = await create(deps, caller, {
    requests,
    source,
    group: {
      id: randomUUID(),
      name: sourceId && messageName(caller.principal, sourceId),
      seconds: null,
      summary: summaryOf(requests[0]!),
    },
  })
  const first = sent.members.find((member) => 'signal' in member)
  if (first) caller.noteSignal(first.signal.id)
  return sent
}

type DryRunLine = GroupDryRunAnswer['dryRuns'][number]

/** Throws where no account can be asked, as for the first one. */
export async function dryRunForSeveral(
  deps: DryRunDeps,
  caller: Caller,
  requests: readonly SignalRequest[],
): Promise<GroupDryRunAnswer> {
  const lines = new Map<
    SignalRequest,
    { line: DryRunLine; answer: ReturnType<typeof presentDryRun> | null }
  >()
  const errors: ApiError[] = []
  await forEachAtMost(ASKED_AT_ONCE, requests, async (request) => {
    const { accountId } = request
    try {
      requireSignalWithinBounds(caller.principal, request)
      const answer = presentDryRun(await dryRunSignal(deps, caller, request), caller.requestId)
      const { dryRun, message } = answer
      lines.set(request, { line: { accountId, dryRun, code: dryRun.code, message }, answer })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error)
      const { code, message } = error
      lines.set(request, { line: { accountId, dryRun: null, code, message }, answer: null })
    }
  })
  const inOrder = requests.map((request) => lines.get(request)!)
  const first = inOrder.find(({ answer }) => answer !== null)?.answer
  if (!first) throw errors[0]!
  return { ...first, dryRuns: inOrder.map(({ line }) => line) }
}
