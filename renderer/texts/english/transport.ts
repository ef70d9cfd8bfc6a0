export const transport = {
  readContent: {
    lost: "The connection to the application was lost.",
    refused: "The application answered with the status {status} when it was asked for the document.",
    openAgain: "Open the document again.",
  },
  webSocketClient: {
    closed: {
      message: "This window is closed.",
      remedy: "Open it again.",
    },
    notAnswering: {
      message: "Tensordeck's application does not answer.",
      remedy: "Check whether the terminal that runs `npm start` is still open.",
    },
    late: {
      message:
        'The application did not answer "{method}" within {seconds, plural, one {# second} other {# seconds}}.',
      remedy: "Try again; if that does not help, restart Tensordeck.",
    },
    lost: {
      message: "The connection to the application was lost.",
      remedy: '"{method}" may or may not have been carried out; check before you try again.',
    },
  },
} as const;
