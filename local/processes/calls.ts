type Channel = {
  send?: ((message: object) => unknown) | undefined
  on(event: 'message', listener: (message: Message) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

export type Message =
  { call: number; name: string; args: unknown[] } | { answer: number; value?: unknown; error?: Fault }

/** `kind`: name of the error. */
type Fault = { kind: string; message: string; cause: string | undefined }

const OTHER_ENDED: Fault = { kind: 'Error', message: 'the other process has ended', cause: undefined }

/** Failed call of the other process; `cause` is the message of its cause. */
export class CallError extends Error {
  override readonly name = 'CallError'
  override readonly cause: string | undefined
  readonly kind: string
  constructor({ kind, message, cause }: Fault) {
    super(message)
    this.cause = cause
    this.kind = kind
  }
}

/** Calls a function of the other process. Rejects with {@link CallError}. */
export type Call = (name: string, ...args: unknown[]) => Promise<unknown>

/**
 * Answers the other process's calls. Open calls reject when the channel closes.
 *
 * @param first a message that arrived earlier
 */
export function answerCalls(
  channel: Channel,
  functions: Record<string, (...args: never[]) => unknown>,
  first?: Message,
): Call {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  const answer = async (call: number, name: string, args: unknown[]): Promise<void> => {
    try {
      const value = await functions[name]!(...(args as never[]))
      channel.send?.({ answer: call, value })
    } catch (error) {
      const { name: kind, message, cause } = error as Error
      const fault: Fault = { kind, message, cause: cause instanceof Error ? cause.message : undefined }
      channel.send?.({ answer: call, error: fault })
    }
  }
  const receive = (message: Message): void => {
    if ('call' in message) return void answer(message.call, message.name, message.args)
    const call = waiting.get(message.answer)
    waiting.delete(message.answer)
    if (message.error) call?.reject(new CallError(message.error))
    else call?.resolve(message.value)
  }
  channel.on('message', receive)
  if (first) receive(first)
  channel.on('disconnect', () => {
    for (const call of waiting.values()) call.reject(new CallError(OTHER_ENDED))
    waiting.clear()
  })
  return (name, ...args) => {
    const call = Promise.withResolvers<unknown>()
    last += 1
    waiting.set(last, call)
    channel.send?.({ call: last, name, args })
    return call.promise
  }
}
