export interface NotificationChoices {
  waitingSignals: boolean
  alerts: boolean
  refused: boolean
  filled: boolean
  closed: boolean
  daySummary: boolean
  showFigures: boolean
}

export const DEFAULT_CHOICES: NotificationChoices = {
  waitingSignals: true,
  alerts: true,
  refused: true,
  filled: false,
  closed: false,
  daySummary: false,
  showFigures: false,
}
