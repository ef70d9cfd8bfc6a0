export const pairing = {
  codeInput: {
    label: "Six-digit code",
    digit: "Digit {position, number} of {count, number}",
  },
  countdown: {
    timeLeft: "Time left",
    left: "{time} left",
  },
  enterCode: {
    title: "Pair with {machine}",
    typeTheCode: "Type the code shown on {machine}",
    validity: "The code works once and pairing stays open for 2 minutes.",
    wrongCode:
      "<b>That code does not match.</b> Nothing was changed. {machine} shows a new code. {triesLeft, plural, one {1 try} other {# tries}} left, then pairing closes.",
    device: "Device",
    fingerprint: "Fingerprint",
    compareFingerprints:
      "Compare the fingerprint with the one on {machine}. If they differ, cancel: another device is answering.",
    clearAndRetry: "Clear and retry",
    checking: "Checking…",
    pair: "Pair",
  },
  pairedDialog: {
    thisMachine: "this machine",
    may: "may {rights}",
    controlChannel: "Control channel",
    channelConnecting: "encrypted, connecting…",
    channelConnected: "encrypted, {roundTrip} round trip",
    engine: "Engine",
    title: "Paired with {peer}",
    headline: "{peer} is paired",
    fingerprintsStored: "Both machines stored each other's fingerprint. They reconnect without a code.",
    noEngineYet: "no engine yet",
    cores: "{cores, plural, one {# core} other {# cores}}",
    appearsSoon: "It appears in the cluster panel in a moment.",
    hasTasks: "It already has {tasks, plural, one {# task} other {# tasks}}.",
    addWorker: "It has no tasks yet. Add a worker to use it in a run.",
    addWorkerLater:
      "It has no tasks yet. Workers can be added once it is connected and lets this machine run.",
    paired: "paired",
  },
  pairingDialog: {
    pairWith: "Pair with {machine}",
    wantsToPair: "{machine} wants to pair",
    asking: "Asking {machine}…",
    connectingTo: "Connecting to {address}.",
    refuse: "Refuse",
    typeTheCode: "Type this code on {machine}",
    whomToGiveTheCode:
      "Only give it to someone you can see. A paired machine that may run can start tasks here and run graphs on them, which means acting with the rights of your account.",
    wrongCode:
      "A wrong code was typed, so this is a new one. {triesLeft, plural, one {This is the last try.} other {# tries left, then pairing closes.}}",
    askedBy: "Asked by",
    ownFingerprint: "Fingerprint of this machine",
    wantedToPair: "{machine} wanted to pair",
    nothingChanged: "Nothing was changed on either machine.",
    notPaired: "The machines are not paired",
    ended: "Pairing with {machine} was ended.",
  },
  roleSelect: {
    label: "What {machine} may do here",
  },
} as const;
