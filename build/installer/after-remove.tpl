#!/bin/bash
# After the package was removed: what electron-builder's own script does, and a word on what Tensordeck leaves. It asks
# nothing, because package managers may not, and removes nothing that belongs to an account. Before an upgrade: nothing.
# deb calls it with "upgrade", "failed-upgrade" or "abort-…" then; rpm with the number of versions that remain.
case "$1" in
upgrade | failed-upgrade | abort-* | [1-9]*) exit 0 ;;
esac

if type update-alternatives >/dev/null 2>&1; then
  update-alternatives --remove '${executable}' '/opt/${sanitizedProductName}/${executable}'
else
  rm -f '/usr/bin/${executable}'
fi

PROFILE='/etc/apparmor.d/${executable}'
if [ -f "$PROFILE" ]; then
  if apparmor_status --enabled >/dev/null 2>&1; then
    if ! { [ -x /usr/bin/ischroot ] && /usr/bin/ischroot; } && hash apparmor_parser 2>/dev/null; then
      apparmor_parser --remove "$PROFILE" || true
    fi
  fi
  rm -f "$PROFILE"
fi

# As after the installation: rpm does so by itself on some systems only.
if hash update-mime-database 2>/dev/null; then
  update-mime-database /usr/share/mime || true
fi
if hash update-desktop-database 2>/dev/null; then
  update-desktop-database /usr/share/applications || true
fi

# The second call of dpkg, for --purge.
[ "$1" = purge ] && exit 0

UNIT=/etc/systemd/system/tensordeck.service
if [ -f "$UNIT" ] && grep -q '/opt/${sanitizedProductName}/' "$UNIT"; then
  # Its program is gone: it would only fail.
  systemctl disable --now tensordeck >/dev/null 2>&1 || true
  echo "Tensordeck's service was stopped. Remove it with: rm $UNIT"
fi

# Rules by which the window's wizard has let others in, by whichever firewall owns them.
if hash ufw 2>/dev/null && ufw status 2>/dev/null | grep -q '# Tensordeck '; then
  echo "Tensordeck's rules remain in ufw. List them with: ufw status numbered; remove each, the last first, with: ufw delete NUMBER"
fi
if hash firewall-cmd 2>/dev/null && firewall-cmd --permanent --list-all-zones 2>/dev/null |
  grep -Eq 'rule priority="-[0-9]+" family="ipv[46]" source address="[^"]+" (port port="[0-9-]+" protocol="(tcp|udp)"|icmp-type name="echo-request") accept$'; then
  echo "Rules that may be Tensordeck's remain in firewalld: rich rules with a negative priority. List them with: firewall-cmd --permanent --list-all-zones; remove each with: firewall-cmd --permanent --zone=ZONE --remove-rich-rule='RULE'; then: firewall-cmd --reload"
fi
if hash nft 2>/dev/null && nft list ruleset 2>/dev/null | grep -q 'comment "Tensordeck '; then
  echo "Tensordeck's rules remain in nftables. List them with: nft -a list ruleset; remove each with: nft delete rule FAMILY TABLE CHAIN handle NUMBER"
elif hash iptables 2>/dev/null && iptables -S INPUT 2>/dev/null | grep -q -e '--comment "Tensordeck '; then
  echo "Tensordeck's rules remain in iptables. List them with: iptables -S INPUT; remove each with -D in place of -A"
fi

echo "Each account that used Tensordeck keeps its identity, pairings, settings, drafts, runs and TensorFlow libraries in ~/.local/share/tensordeck. Graph files stay where they are."
exit 0
