export interface HookOutcome {
  requestId: string
  outcome: 'accepted' | 'nothing' | 'repeated' | 'refused' | 'dry_run' | 'late'
  code: string | null
  message: string
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
  advisories: { code: string; message: string }[]
  groupId: string | null
  signals: {
    accountId: string
    id: string | null
    status: string | null
    orderId: string | null
    code: string | null
    message: string | null
  }[]
}
