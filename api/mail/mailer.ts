export interface Mail {
  to: string
  subject: string
  /** Plain text; lines end in a line feed. */
  text: string
}

export interface Mailer {
  /** Rejects when the message could not be handed on. */
  send(mail: Mail): Promise<void>
  close(): void
}
