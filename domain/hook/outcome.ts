/** What became of a request of a hook, for its answer and the inbox. */
export interface HookOutcome {
  /** Of the request in the inbox. */
  requestId: string
  outcome: 'accepted' | 'nothing' | 'repeated' | 'refused' | 'dry_run' | 'late'
  /** Stable code of a refusal; null otherwise. */
  code: string | null
  /** One sentence for people. */
  message: string
  /** What is wrong with the message, in the names of its sender. */
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
  advisories: { code: string; message: string }[]
  groupId: string | null
  /** One for each account. */
  signals: {
    accountId: string
    id: string | null
    status: string | null
    orderId: string | null
    code: string | null
    message: string | null
  }[]
}
