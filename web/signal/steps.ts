export interface Step {
  name: string
  at: string | null
  /** Planned time, as far as known. */
  plannedAt?: string | null
  isDone: boolean
  why?: string | null
  note?: string
  /** Failure in words: no step follows. */
  failure?: string
}

export interface Next {
  tone: 'accent' | 'warn' | 'danger' | 'quiet'
  title: string
  why?: string
  /** UTC instant of the step. */
  at?: string
  /** The signal waits for a person's decision. */
  isToDecide?: true
}
