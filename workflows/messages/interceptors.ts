import { isDecimal } from '#domain/money/decimal.ts'
import type { OrderReport } from '#domain/order/order.ts'
import {
  Misaddressed,
  addresses,
  open,
  openArguments,
  seal,
  UNTRUSTED,
  type UntrustedSinks,
} from './address-contract.ts'
import { cancelOrder, orderChanged, type OrderCancel } from '../order/contract.ts'
import {
  approveSignal,
  cancelExit,
  changeProtection,
  declineSignal,
  replaceSignal,
  withdrawSignal,
  type Approval,
  type Decline,
  type ProtectionChange,
  type ReplaceRequest,
  type Withdrawal,
} from '../signal/contract.ts'
import {
  ActivityFailure,
  ApplicationFailure,
  proxySinks,
  setDefaultSignalHandler,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow'
import { ALL_ACCOUNTS_SYNC_WORKFLOW, DAILY_SNAPSHOTS_WORKFLOW, FLAT_BY_CLOSE_WORKFLOW } from '../names.ts'
import { workflowNow } from '../steps/workflow-time.ts'

type Rule = (value: unknown) => boolean
type Shape<T> = { [K in keyof T]?: Rule }

const text: Rule = (value) => typeof value === 'string'
const number: Rule = (value) => typeof value === 'string' && isDecimal(value)
const object: Rule = (value) => typeof value === 'object' && value !== null
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value)

const SHAPES: Readonly<Record<string, Record<string, Rule>>> = {
  [orderChanged.name]: {
    clientOrderId: text,
    brokerOrderId: text,
    symbol: text,
    side: text,
    status: text,
    quantity: number,
    filledQuantity: number,
    avgFillPrice: orNull(number),
  } satisfies Shape<OrderReport>,
  [approveSignal.name]: {
    by: text,
    quantity: orNull(number),
    limitPrice: orNull(number),
    sendBefore: orNull(text),
  } satisfies Shape<Approval>,
  [declineSignal.name]: { by: text, reason: orNull(text) } satisfies Shape<Decline>,
  [withdrawSignal.name]: { by: text } satisfies Shape<Withdrawal>,
  [cancelExit.name]: { by: text } satisfies Shape<Withdrawal>,
  [changeProtection.name]: { by: text, change: object } satisfies Shape<ProtectionChange>,
  [replaceSignal.name]: { by: text, replacement: object } satisfies Shape<ReplaceRequest>,
  [cancelOrder.name]: { by: text, clientOrderId: text } satisfies Shape<OrderCancel>,
}

/** Throws {@link Misaddressed}: a message of another version could make every workflow task fail. */
function requireShape(message: string, [argument]: readonly unknown[]): void {
  const shape = SHAPES[message]
  if (shape === undefined) return
  if (!object(argument)) throw new Misaddressed('It has no argument')
  const fields = argument as Record<string, unknown>
  const wrong = Object.entries(shape).filter(([name, isRight]) => !isRight(fields[name]))
  if (wrong.length > 0) throw new Misaddressed(`Its ${wrong.map(([name]) => name).join(', ')} cannot be used`)
}

const { untrusted } = proxySinks<UntrustedSinks>()

function note(address: string, { message: reason }: Error): void {
  untrusted.note({ address, reason, at: workflowNow() })
}

/** Untrusted content is reported, and becomes a failure without retries. */
function believing<T>(address: string, opens: () => T): T {
  try {
    return opens()
  } catch (error) {
    if (!(error instanceof Misaddressed)) throw error
    note(address, error)
    throw ApplicationFailure.nonRetryable(`Not trusted: ${error.message}`, UNTRUSTED)
  }
}

const isWithoutInput = (workflowType: string, args: unknown[]): boolean =>
  args.length === 0 &&
  [ALL_ACCOUNTS_SYNC_WORKFLOW, DAILY_SNAPSHOTS_WORKFLOW, FLAT_BY_CLOSE_WORKFLOW].includes(workflowType)

function openMessage(address: string, name: string, sent: unknown[]): unknown[] {
  const args = openArguments(address, sent)
  requireShape(name, args)
  return args
}

interface Step {
  activityType: string
  args: unknown[]
}

async function ask<I extends Step>(input: I, next: (input: I) => Promise<unknown>): Promise<unknown> {
  const { activityType, args } = input
  const address = addresses.resultOf(activityType)
  let result: unknown
  try {
    result = await next({ ...input, args: [seal(addresses.activity(activityType), args)] })
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : null
    // Our activities never fail without retries.
    if (cause instanceof ApplicationFailure && cause.nonRetryable)
      note(address, new Misaddressed(`It failed without retries: ${cause.type}`))
    throw error
  }
  return believing(address, () => open(address, result)[0])
}

/**
 * Checks everything that Temporal delivers: an untrusted signal is dropped, an untrusted update rejected, untrusted
 * input fails the workflow at once, and an untrusted result makes the activity run again. Loaded by the SDK.
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
        // The workflow has set its own handlers by now.
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
