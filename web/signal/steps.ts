/** A step of a signal before it is drawn. */
export interface Step {
  name: string
  at: string | null
  /** When it is to be, as far as that is known. */
  plannedAt?: string | null
  isDone: boolean
  why?: string | null
  note?: string
  /** It went wrong: nothing follows. */
  failure?: string
}

/** What happens next, or why nothing does. */
export interface Next {
  tone: 'accent' | 'warn' | 'danger' | 'quiet'
  title: string
  why?: string
  /** When; UTC instant. */
  at?: string
  /** It waits for a decision of a person. */
  isToDecide?: true
}
