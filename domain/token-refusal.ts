/** The last request for a signal of a token that was refused. */
export interface TokenRefusal {
  /** ISO instant. */
  at: string
  code: string
  /** For people; without secrets, and bounded. Nothing of the body but what the words of the refusal name. */
  message: string
}
