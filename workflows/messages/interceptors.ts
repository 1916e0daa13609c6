import {
  ActivityFailure,
  ApplicationFailure,
  proxySinks,
  setDefaultSignalHandler,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow'
import {
  addresses,
  Misaddressed,
  open,
  openArguments,
  seal,
  UNTRUSTED,
  type UntrustedSinks,
} from './address-contract.ts'
import { requireShape } from './shapes.ts'
import { workflowNow } from '../steps/workflow-time.ts'

const { untrusted } = proxySinks<UntrustedSinks>()

function note(address: string, { message: reason }: Error): void {
  untrusted.note({ address, reason, at: workflowNow() })
}

/** Runs it, and makes what it finds not to be ours known and a failure that is not repeated. */
function believing<T>(address: string, opens: () => T): T {
  try {
    return opens()
  } catch (error) {
    if (!(error instanceof Misaddressed)) throw error
    note(address, error)
    throw ApplicationFailure.nonRetryable(`Not trusted: ${error.message}`, UNTRUSTED)
  }
}

/** Started by schedules, which give them no argument: there is nothing to believe. */
const isWithoutInput = (workflowType: string, args: unknown[]): boolean =>
  args.length === 0 &&
  (workflowType === 'allAccountsSyncWorkflow' || workflowType === 'dailySnapshotsWorkflow')

function openMessage(address: string, name: string, sent: unknown[]): unknown[] {
  const args = openArguments(address, sent)
  requireShape(name, args)
  return args
}

interface Step {
  activityType: string
  args: unknown[]
}

/** Addresses what is asked of an activity, and believes only an answer to that. */
async function ask<I extends Step>(input: I, next: (input: I) => Promise<unknown>): Promise<unknown> {
  const { activityType, args } = input
  const address = addresses.resultOf(activityType)
  let result: unknown
  try {
    result = await next({ ...input, args: [seal(addresses.activity(activityType), args)] })
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : null
    // No activity of ours fails for good.
    if (cause instanceof ApplicationFailure && cause.nonRetryable)
      note(address, new Misaddressed(`It failed for good: ${cause.type}`))
    throw error
  }
  return believing(address, () => open(address, result)[0])
}

/**
 * Stands between a workflow and everything that Temporal brings it. A message that was not made for it, or that cannot be
 * read, is dropped (a signal) or refused (an update), and the story goes on; a workflow that cannot believe its own input
 * fails before it does anything; an activity's result that cannot be believed is as good as none. Loaded by the SDK.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const { workflowType } = workflowInfo()
        const address = addresses.start(workflowType)
        const args = isWithoutInput(workflowType, input.args)
          ? []
          : believing(address, () => openArguments(address, input.args))
        const result = next({ ...input, args })
        // By now the workflow has set its own handlers: these are of no message that there is.
        setDefaultSignalHandler((name: string) =>
          note(addresses.signal(name), new Misaddressed('There is no such message')),
        )
        return result
      },

      async handleSignal(input, next) {
        const address = addresses.signal(input.signalName)
        let args: unknown[]
        try {
          args = openMessage(address, input.signalName, input.args)
        } catch (error) {
          if (!(error instanceof Misaddressed)) throw error
          return note(address, error)
        }
        return next({ ...input, args })
      },

      validateUpdate(input, next) {
        const address = addresses.update(input.name, input.updateId)
        next({ ...input, args: believing(address, () => openMessage(address, input.name, input.args)) })
      },

      async handleUpdate(input, next) {
        const address = addresses.update(input.name, input.updateId)
        return next({
          ...input,
          args: believing(address, () => openMessage(address, input.name, input.args)),
        })
      },
    },
  ],
  outbound: [
    {
      scheduleActivity: ask,
      scheduleLocalActivity: ask,
      continueAsNew: (input, next) =>
        next({ ...input, args: [seal(addresses.start(input.options.workflowType), input.args)] }),
      startChildWorkflowExecution: (input, next) =>
        next({
          ...input,
          options: {
            ...input.options,
            args: [seal(addresses.start(input.workflowType), input.options.args)],
          },
        }),
    },
  ],
})
