export interface NotificationChoices {
  waitingSignals: boolean
  alerts: boolean
  refused: boolean
  filled: boolean
  closed: boolean
  daySummary: boolean
  showFigures: boolean
  /** Outcomes and letters wait for their end. */
  quietHours: QuietHours | null
}

/** Local times such as 22:00, in an IANA zone. */
export interface QuietHours {
  from: string
  until: string
  zone: string
}

export const DEFAULT_CHOICES: NotificationChoices = {
  waitingSignals: true,
  alerts: true,
  refused: true,
  filled: false,
  closed: false,
  daySummary: false,
  showFigures: false,
  quietHours: null,
}
